// Types of imports with `?browser` or `?worker`: scripts/browser.mjs bundles the file for a browser, or for a thread, into one text.

declare module '*?browser' {
  export const text: string;
}

declare module '*?worker' {
  export const text: string;
}
