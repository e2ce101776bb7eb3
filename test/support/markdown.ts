// Extracts links, headings and code from documents.

/** The code blocks of a language. */
export const codeBlocks = (markdown: string, language: string): readonly string[] =>
  Array.from(markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')), ([, code]) => (code ?? '').trim());

/** Removes code blocks and inline code, which may look like markdown. */
const prose = (markdown: string): string => markdown.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');

/** The link and image targets within the project. */
export const relativeLinks = (markdown: string): readonly string[] =>
  Array.from(prose(markdown).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g), ([, link]) => link ?? '').filter(
    (link) => !/^(?:[a-z]+:|\/\/)/i.test(link),
  );

/** The headings as anchors. */
export const anchors = (markdown: string): readonly string[] =>
  Array.from(markdown.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} +(.+)$/gm), ([, heading]) =>
    (heading ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );

export interface Section {
  readonly heading: string;
  readonly text: string;
}

/** The sections below second-level headings. */
export const sections = (markdown: string): readonly Section[] =>
  markdown
    .split(/^## +/m)
    .slice(1)
    .map((part) => ({ heading: (part.split('\n')[0] ?? '').trim(), text: part.slice(part.indexOf('\n')).trim() }));
