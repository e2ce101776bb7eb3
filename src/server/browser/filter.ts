// The form of a fleet: what is typed narrows the names at once, and what is chosen asks for it. Without the script it has a button.

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
  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLSelectElement) target.form?.requestSubmit();
  });
};
