// A strict parser of the page, written from the HTML syntax, not from our templates: it allows only the elements, attributes and
// character references that the page uses, so it finds any text of a node that becomes markup.

const elements = new Set(
  (
    'a b body button code dd details div dl dt footer form h1 h2 h3 h4 head header html input label li link main meta ol optgroup ' +
    'option p path rect section select small span strong summary svg table tbody td th thead time title tr ul'
  ).split(' '),
);
const withoutEnd = new Set(['input', 'link', 'meta']);
const attributes =
  /^(?:aria-[a-z]+|data-[a-z]+|class|id|title|href|name|value|type|role|scope|datetime|lang|charset|content|rel|colspan|action|autocomplete|maxlength|size|label|open|checked|selected|hidden|viewBox|preserveAspectRatio|width|height|x|y|d|fill|stroke)$/;
const address = /^(?:\.\/|\?|#|(?:metrics|livez|readyz|api\/v1\/\w+)(?:\?|$)|data:image\/svg\+xml,|$)/;

const fail = (page: string, at: number, why: string): never => {
  throw new Error(`the page has ${why}: ${JSON.stringify(page.slice(Math.max(0, at - 60), at + 120))}`);
};

const tag = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z][-a-zA-Z]*(?:="[^"<>]*")?)*)\s*(\/?)>/y;
const attribute = /\s+([a-zA-Z][-a-zA-Z]*)(?:="([^"<>]*)")?/g;
const loose = /&(?!(?:amp|lt|gt|quot|middot|nbsp|rarr|hellip|times|ndash|mdash|#39|#x27);)|[<>]/;

/**
 * Takes a page without its style and script; throws on anything that does not belong to the page. `shard`: the address of another shard,
 * which it may link to.
 */
export const judgePage = (page: string, shard?: string): void => {
  const isOwn = (href: string): boolean => address.test(href) || (shard !== undefined && href.startsWith(`//${shard}/`));
  const open: string[] = [];
  let at = page.indexOf('>') + 1;
  if (page.slice(0, at).trim() !== '<!doctype html>') fail(page, 0, 'no doctype');
  while (at < page.length) {
    const next = page.indexOf('<', at);
    const end = next < 0 ? page.length : next;
    const text = page.slice(at, end);
    if (loose.test(text)) fail(page, at, 'text that is not escaped');
    if (next < 0) break;
    tag.lastIndex = next;
    const [found, slash, name = '', rest = '', isVoid] = tag.exec(page) ?? fail(page, next, 'no tag where one begins');
    if (!elements.has(name)) fail(page, next, `an element ${name}`);
    for (const [, key = '', value = ''] of rest.matchAll(attribute)) {
      if (!attributes.test(key)) fail(page, next, `an attribute ${key}`);
      if ((key === 'href' || key === 'action') && !isOwn(value)) fail(page, next, 'an address of somebody else');
      if (loose.test(value)) fail(page, next, 'a value that is not escaped');
    }
    if (slash === '/') {
      if (open.pop() !== name) fail(page, next, `an end of ${name} that was not begun`);
    } else if (isVoid !== '/' && !withoutEnd.has(name)) {
      open.push(name);
    }
    at = next + found.length;
  }
  if (open.length > 0) fail(page, page.length, `no end of ${open.join(', ')}`);
};
