// What tools answer, as far as the page looks at it.
export type Scalar = string | number | boolean | null;
export type Value = Scalar | Value[] | { [key: string]: Value };
export type Fields = Record<string, Value>;

export interface Issue {
  path: string;
  line?: number;
  column?: number;
  severity: string;
  rule: string;
  message: string;
  field?: string;
}

export interface Row {
  id: string;
  etag: string;
  fields: Fields;
  issues?: Issue[];
}

export interface Backlink {
  database_id?: string;
  row_id?: string;
  path?: string;
  field: string;
}

export interface WholeRow extends Row {
  body: string;
  modified: string;
  extra: Fields;
  backlinks: Backlink[];
}

export type ColumnType =
  | 'text' | 'number' | 'checkbox' | 'date' | 'datetime' | 'select' | 'multi-select' | 'url'
  | 'relation' | 'list' | 'json' | 'rollup' | 'formula';

export interface Column {
  id: string;
  name?: string;
  type: ColumnType;
  description?: string;
  options?: string[];
  target?: string;
  multiple?: boolean;
  required?: boolean;
  auto?: string;
}

export interface View {
  id: string;
  name?: string;
  type?: string;  // table, board, calendar; of a .base file any
  columns?: string[];
  group_by?: string;
  filters?: Filter[];
  sorts?: { field: string; direction?: string }[];
  date_column?: string;
}

export interface Schema {
  database_id: string;
  name: string;
  description?: string;
  columns: Column[];
  views: View[];
  templates: Record<string, { name?: string }>;
  etag: string;
  notes?: string;
}

export interface DatabaseSummary {
  id: string;
  name: string;
  description?: string;
  row_count: number;
  column_count: number;
  issue_count: number;
}

export interface Workspace {
  root_name: string;
  read_only: boolean;
  databases: DatabaseSummary[];
  issues: Issue[];
}

export interface Triple {
  field: string;
  operator: string;
  value?: Value;
}
export type Filter = Triple | { any: Triple[] };

export interface QueryAnswer {
  total: number;
  returned: number;
  next_offset?: number;
  notice?: string;
  columns: string[];
  rows: Row[];
  unreadable?: number;
}

// Of a view of a .base file: rows of the database, and other files by their paths, without an etag.
export interface BaseAnswer extends QueryAnswer {
  display_names?: Record<string, string>;
  groups?: Record<string, Value>[];
  summaries?: { property: string; summary: string; value: Value }[];
  issues?: Issue[];
}

export interface WriteAnswer {
  row: WholeRow;
  changed: boolean;
  change?: string;
  warnings?: unknown[];
}

export interface Found {
  database_id: string;
  id: string;
  title: string;
  snippet: string;
}

export interface HistoryEntry {
  change: string;
  when: string;
  what: string;
  fields?: unknown;
}

export interface ChangeEvent {
  database_id: string;
  schema?: boolean;
  all?: boolean;
  rows?: { id: string; etag?: string }[];
}

export interface FixedField {
  path: string;
  line: number;
  field: string;
  rule: string;
  before: string;
  after: string;
}

export interface CheckAnswer {
  databases: number;
  issues: Issue[];
  fixes?: FixedField[];
}

export interface InferredDatabase {
  database_id: string;
  row_count: number;
  schema: { columns: Column[] };
  exceptions: Issue[];
  document?: string;   // what the schema file would hold
  change?: string;
}

export interface ImportAnswer {
  database_id: string;
  created: boolean;
  inserted: number;
  updated: number;
  unchanged: number;
  change?: string;
  diff?: string;
}
