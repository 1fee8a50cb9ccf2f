// What the command puts into the page (stallscope/report/page.cpp). The page shows, selects and sorts; it computes
// no number that a document does not hold.

export interface Estimate {
  mean: number;
  low: number;
  high: number;
}

/** text, value, low, high, unit, basis */
export interface Cell {
  t: string;
  v?: number;
  l?: number;
  h?: number;
  u?: string;
  b?: string;
}

export interface TableData {
  id: string;
  title: string;
  columns: string[];
  rows: Cell[][];
}

export interface Shown {
  source: string;
  kind: string;
  title: string;
  verdict: string;
  document: any;
  tables: TableData[];
  series: Series;
}

export interface Payload {
  version: string;
  documents: Shown[];
}

export interface Series {
  rows?: number;
  steps?: Record<string, StepSeries>;
  ranks?: { rung: string; width: number; rows: RankRow[] };
  samples?: SampleSeries[];
}

export interface StepSeries {
  count: number;
  steps: number;
  least: number;
  q05: number;
  q25: number;
  q50: number;
  q75: number;
  q95: number;
  largest: number;
  histogram: { from: number; to: number; counts: number[] };
  course_width: number;
  course: ([number, number, number] | null)[];
}

export interface RankRow {
  rank: number;
  node: number;
  steps: number;
  own_s: (number | null)[];
  [part: string]: number | (number | null)[];
}

export interface SampleSeries {
  quantity: string;
  unit: string;
  nodes: { node: number; points: [number, number, number, number][] }[];
}
