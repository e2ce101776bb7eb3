// Makes one tree like another by changing what differs, and nothing else: what is selected, focused or unfolded stays so.

export const sync = (old: Node, fresh: Node): void => {
  if (!(old instanceof Element && fresh instanceof Element)) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name, value } of [...fresh.attributes].filter(isOfPage))
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes].filter(isOfPage)) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  // What was typed into it is not in the tree.
  if (old.nodeName !== 'INPUT') syncChildren(old, fresh);
};

/** Once it is there, only who reads it folds and unfolds it. */
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

/** What has a key and is gone, first: nothing behind it has to move. */
const removeGone = (old: Element, fresh: Element): void => {
  const keys = new Set(Array.from(fresh.children, keyOf));
  const gone = [...old.children].filter((child) => !keys.has(keyOf(child)));
  for (const child of gone) child.remove();
  // The texts before and behind it are one.
  if (gone.length > 0) old.normalize();
};

/** The node at `at`, or the one after it that has the child's key. */
const matchOf = (child: Node, at: ChildNode | null): ChildNode | null => {
  let match = at;
  if (keyOf(child) !== null) while (match !== null && !areAlike(match, child)) match = match.nextSibling;
  return match !== null && areAlike(match, child) ? match : null;
};

const keyOf = (node: Node): string | null => (node instanceof Element ? node.getAttribute('data-key') : null);

const areAlike = (a: Node, b: Node): boolean => a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
