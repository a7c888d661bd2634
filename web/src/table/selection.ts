// Selection: a range of cells between where it was begun and where it is now; numbers of rows and
// columns, so that a range may be larger than what is loaded.
export interface Place {
  row: number;
  column: number;
}

export interface Selection {
  anchor: Place;
  at: Place;
}

export interface Range {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export interface Size {
  rows: number;
  columns: number;
}

export const single = (at: Place): Selection => ({ anchor: at, at });

export function rangeOf({ anchor, at }: Selection): Range {
  return {
    top: Math.min(anchor.row, at.row),
    bottom: Math.max(anchor.row, at.row),
    left: Math.min(anchor.column, at.column),
    right: Math.max(anchor.column, at.column),
  };
}

export const isIn = (range: Range, row: number, column: number): boolean =>
  row >= range.top && row <= range.bottom && column >= range.left && column <= range.right;

export const countOf = (range: Range): number => (range.bottom - range.top + 1) * (range.right - range.left + 1);

const within = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));

export function moved(selection: Selection, to: Place, size: Size, extends_: boolean): Selection {
  const at = { row: within(to.row, size.rows), column: within(to.column, size.columns) };
  return extends_ ? { anchor: selection.anchor, at } : single(at);
}

// Where a key leads from a place; null where it does not move.
export function targetOf(event: KeyboardEvent, at: Place, size: Size, page: number): Place | null {
  const far = event.ctrlKey || event.metaKey;
  switch (event.key) {
    case 'ArrowUp': return { ...at, row: far ? 0 : at.row - 1 };
    case 'ArrowDown': return { ...at, row: far ? size.rows - 1 : at.row + 1 };
    case 'ArrowLeft': return { ...at, column: far ? 0 : at.column - 1 };
    case 'ArrowRight': return { ...at, column: far ? size.columns - 1 : at.column + 1 };
    case 'PageUp': return { ...at, row: at.row - page };
    case 'PageDown': return { ...at, row: at.row + page };
    case 'Home': return far ? { row: 0, column: 0 } : { ...at, column: 0 };
    case 'End': return far ? { row: size.rows - 1, column: size.columns - 1 } : { ...at, column: size.columns - 1 };
    default: return null;
  }
}
