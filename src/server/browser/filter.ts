// The form of a fleet: what is typed narrows the names at once, and what is chosen by pointer asks for it. For all else it has a button.

const search = (): HTMLInputElement | null => document.querySelector('#search');

/** Hides what is shown and has another name; the form asks for those that are not shown. */
export const narrowNames = (): void => {
  const part = search()?.value.trim().toLowerCase() ?? '';
  for (const one of document.querySelectorAll<HTMLElement>('.fleet tbody tr, .names li'))
    one.hidden = !(one.dataset.key ?? '').toLowerCase().includes(part);
};

export const watchForm = (): void => {
  document.addEventListener('input', ({ target }) => {
    if (target === search()) narrowNames();
  });
  // An arrow key chooses at once, on the way to what is meant: who is at the keyboard presses the button.
  let byKey = false;
  document.addEventListener('pointerdown', () => {
    byKey = false;
  });
  document.addEventListener('keydown', ({ target }) => {
    byKey = target instanceof HTMLSelectElement;
  });
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement && !byKey) target.form?.requestSubmit();
  });
};
