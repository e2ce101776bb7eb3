// What the build makes of a file for the browser: scripts/browser.mjs.

declare module '*?browser' {
  export const text: string;
}
