// Where the project is, and its version. Generated out of package.json by `npm run docs`: do not edit.

export const repository = 'https://github.com/snowgauge/snowgauge';
export const release = '0.1.0';
