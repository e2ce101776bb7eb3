// The filter form of a fleet: typing filters the names at once, and selecting with a pointer submits the form. Otherwise its button does.

const search = (): HTMLInputElement | null => document.querySelector('#search');

/** Hides rows whose names do not match. Only submitting the form finds names that are not on the page. */
export const narrowNames = (): void => {
  const part = search()?.value.trim().toLowerCase() ?? '';
  for (const one of document.querySelectorAll<HTMLElement>('.fleet tbody tr, .names li'))
    one.hidden = !(one.dataset.key ?? '').toLowerCase().includes(part);
};

export const watchForm = (): void => {
  document.addEventListener('input', ({ target }) => {
    if (target === search()) narrowNames();
  });
  // Each press of an arrow key changes the selection, so keyboard users submit with the button.
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
