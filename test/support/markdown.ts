// What tests read out of documents: links, headings, code.

/** The code of every block that is marked with this language. */
export const codeBlocks = (markdown: string, language: string): readonly string[] =>
  Array.from(markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')), ([, code]) => (code ?? '').trim());

/** Without code, in blocks and in lines: what stands in it is no markdown. */
const prose = (markdown: string): string => markdown.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');

/** Where the links and images of a document lead, but those that leave the project. */
export const relativeLinks = (markdown: string): readonly string[] =>
  Array.from(prose(markdown).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g), ([, link]) => link ?? '').filter(
    (link) => !/^(?:[a-z]+:|\/\/)/i.test(link),
  );

/** Headings as the anchors that they get. */
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

/** The parts of a document that its second headings make. */
export const sections = (markdown: string): readonly Section[] =>
  markdown
    .split(/^## +/m)
    .slice(1)
    .map((part) => ({ heading: (part.split('\n')[0] ?? '').trim(), text: part.slice(part.indexOf('\n')).trim() }));
