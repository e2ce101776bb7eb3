// What a dashboard is made of: tables of panels and their queries. render.ts makes Grafana's JSON of them.

/** `[text, colour]` of a value. */
export type Words = Readonly<Record<string, readonly [text: string, colour: Colour]>>;

export type Colour = 'green' | 'yellow' | 'orange' | 'red' | 'blue' | 'purple' | 'text';

/** The colour from a value on; the first stands for everything below the next. */
export type Steps = readonly (readonly [from: number | null, colour: Colour])[];

export interface Query {
  readonly expr: string;
  /** Of a line or a row of states: labels in double braces. */
  readonly legend?: string;
}

export interface Column {
  /** A label, or the letter of the query whose value it is. */
  readonly of: string;
  readonly name: string;
  readonly unit?: string;
  readonly steps?: Steps;
  readonly words?: Words;
  /** Where a click on the cell leads. */
  readonly link?: { readonly title: string; readonly url: string };
}

interface Common {
  readonly title: string;
  /** What it says, and when to worry. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly queries: readonly Query[];
}

export type Panel = Common &
  (
    | { readonly view: 'number'; readonly unit?: string; readonly steps?: Steps; readonly words?: Words }
    | {
        readonly view: 'table';
        readonly columns: readonly Column[] /** The column that it is sorted by, falling. */;
        readonly worst: string;
      }
    | { readonly view: 'states'; readonly words: Words }
    | {
        readonly view: 'lines';
        readonly unit: string;
        readonly steps?: Steps;
        readonly min?: number;
        readonly max?: number;
      }
  );

export interface Section {
  readonly title: string;
  /** A variable: the row is there once for each of its values. */
  readonly repeat?: string;
  readonly panels: readonly Panel[];
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  /** Of which series, and which of their labels. */
  readonly from: string;
  readonly of: string;
  /** Several at once; else one, or all. */
  readonly many?: true;
  /** All is what is listed, which other variables narrow; else it is everything, what lacks the label included. */
  readonly listed?: true;
  /** By this expression: the first choice is the worst, and there is no All. */
  readonly worst?: string;
  /** One is always chosen. */
  readonly single?: true;
}

export interface Mark {
  readonly name: string;
  readonly expr: string;
  readonly title: string;
  readonly text: string;
  readonly colour: Colour;
}

export interface Board {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly Variable[];
  /** Drawn over all panels of lines and states. */
  readonly marks: readonly Mark[];
  readonly sections: readonly Section[];
}
