// What the build makes of a file for the browser, or for a thread: scripts/browser.mjs.

declare module '*?browser' {
  export const text: string;
}

declare module '*?worker' {
  export const text: string;
}
