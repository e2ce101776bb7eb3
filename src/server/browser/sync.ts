// Makes one DOM tree equal to another and changes only what differs, so that selection, focus and open details stay.

export const sync = (old: Node, fresh: Node): void => {
  if (!(old instanceof Element && fresh instanceof Element)) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name, value } of [...fresh.attributes].filter(isOfPage))
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes].filter(isOfPage)) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  // What the user typed is not in the tree.
  if (old.nodeName !== 'INPUT') syncChildren(old, fresh);
};

/** Only the user opens and closes details that are already on the page. */
const isOfPage = ({ name }: Attr): boolean => name !== 'open';

const syncChildren = (old: Element, fresh: Element): void => {
  removeGone(old, fresh);
  let at = old.firstChild;
  for (const child of fresh.childNodes) {
    const match = matchOf(child, at);
    if (match === null) {
      old.insertBefore(document.importNode(child, true), at);
      continue;
    }
    if (match === at) at = at.nextSibling;
    else old.insertBefore(match, at);
    sync(match, child);
  }
  while (at !== null) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
};

/** Removes children whose keys are gone first, so that those behind them need not move. */
const removeGone = (old: Element, fresh: Element): void => {
  const keys = new Set(Array.from(fresh.children, keyOf));
  const gone = [...old.children].filter((child) => !keys.has(keyOf(child)));
  for (const child of gone) child.remove();
  // Joins the texts before and after a removed child.
  if (gone.length > 0) old.normalize();
};

/** `at` if it matches, otherwise the next sibling with the child's key. */
const matchOf = (child: Node, at: ChildNode | null): ChildNode | null => {
  let match = at;
  if (keyOf(child) !== null) while (match !== null && !areAlike(match, child)) match = match.nextSibling;
  return match !== null && areAlike(match, child) ? match : null;
};

const keyOf = (node: Node): string | null => (node instanceof Element ? node.getAttribute('data-key') : null);

const areAlike = (a: Node, b: Node): boolean => a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
