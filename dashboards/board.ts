// The types of a dashboard: tables of panels and their queries. render.ts converts them to Grafana's JSON.

/** Value -> `[text, colour]`. */
export type Words = Readonly<Record<string, readonly [text: string, colour: Colour]>>;

export type Colour = 'green' | 'yellow' | 'orange' | 'red' | 'blue' | 'purple' | 'text';

/** The colour from a value on; the first applies to everything below the next. */
export type Steps = readonly (readonly [from: number | null, colour: Colour])[];

export interface Query {
  readonly expr: string;
  /** The legend of a line or state row, with labels in double braces. */
  readonly legend?: string;
}

export interface Column {
  /** A label, or the letter of the query for its value. */
  readonly of: string;
  readonly name: string;
  readonly unit?: string;
  readonly steps?: Steps;
  readonly words?: Words;
  /** The link of a cell. */
  readonly link?: { readonly title: string; readonly url: string };
}

interface Common {
  readonly title: string;
  /** What the panel shows, and when to worry. */
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
  /** A variable; the row is repeated for each of its values. */
  readonly repeat?: string;
  readonly panels: readonly Panel[];
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  /** The series and the label that the values come from. */
  readonly from: string;
  readonly of: string;
  /** Multiple values can be selected; otherwise one or all. */
  readonly many?: true;
  /**
   * "All" matches only the listed values, which other variables restrict; otherwise everything, including series without the
   * label.
   */
  readonly listed?: true;
  /** Sorts by this expression: the default is the worst, and there is no "All". */
  readonly worst?: string;
  /** Exactly one value is selected. */
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
  /** Annotations on all time series and state panels. */
  readonly marks: readonly Mark[];
  readonly sections: readonly Section[];
}
