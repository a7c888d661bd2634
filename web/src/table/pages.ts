// RowPages: the rows of a question, a page at a time as they come into view; the last pages stay.
//
// A page that is old is shown until the new one is there. What is wanted last is asked for first.
import { signal } from '@preact/signals';
import { call, messageOf } from '../api/server';
import type { Fields, QueryAnswer, Row } from '../api/types';

export const pageRows = 200;
const maxPages = 60;
const maxUnderWay = 2;

export interface Question {
  database_id: string;
  view?: string;
  filters?: unknown[];
  sort?: string[];
  select?: string[];
}

interface Page {
  rows: Row[];
  stale: boolean;
}

export class RowPages {
  readonly total = signal<number | null>(null);
  readonly version = signal(0);
  readonly refusal = signal('');
  readonly notice = signal('');
  private readonly pages = new Map<number, Page>();  // the one used last at the end
  private readonly underWay = new Set<number>();
  private wanted: number[] = [];
  private readonly stop = new AbortController();
  private epoch = 0;

  constructor(readonly question: Question) {}

  row(index: number): Row | undefined {
    return this.pages.get(Math.floor(index / pageRows))?.rows[index % pageRows];
  }

  // These rows are looked at.
  want(rows: number[]): void {
    const pages: number[] = [];
    for (const page of new Set(rows.map(row => Math.floor(row / pageRows)))) {
      const known = this.pages.get(page);
      if (known) { this.pages.delete(page); this.pages.set(page, known); }
      if ((!known || known.stale) && !this.underWay.has(page)) pages.push(page);
    }
    this.wanted = pages;
    this.ask();
  }

  // What is known may be old.
  refresh(): void {
    ++this.epoch;
    for (const page of this.pages.values()) page.stale = true;
    this.underWay.clear();
    ++this.version.value;
  }

  // Shows what a write has just given, or is about to.
  patch(id: string, fields: Fields, etag?: string): void {
    for (const page of this.pages.values()) {
      const at = page.rows.findIndex(row => row.id === id);
      const row = page.rows[at];
      if (!row) continue;
      page.rows[at] = { ...row, fields: { ...row.fields, ...fields }, etag: etag ?? row.etag };
    }
    ++this.version.value;
  }

  // Those of the first page, once it is there.
  sample(): Row[] | undefined {
    return this.pages.get(0)?.rows;
  }

  close(): void {
    this.stop.abort();
  }

  private ask(): void {
    while (this.underWay.size < maxUnderWay && this.wanted.length) void this.load(this.wanted.shift()!);
  }

  private async load(page: number): Promise<void> {
    const { epoch } = this;
    this.underWay.add(page);
    try {
      const answer = await call<QueryAnswer>('db_query', { ...this.question, limit: pageRows, offset: page * pageRows }, this.stop.signal);
      if (epoch !== this.epoch) return;
      this.pages.delete(page);
      this.pages.set(page, { rows: answer.rows, stale: false });
      for (const old of this.pages.keys()) {
        if (this.pages.size <= maxPages) break;
        this.pages.delete(old);
      }
      this.total.value = answer.total;
      this.refusal.value = '';
      this.notice.value = answer.notice ?? '';
      ++this.version.value;
    } catch (problem) {
      if (this.stop.signal.aborted) return;
      this.refusal.value = messageOf(problem);
      if (this.total.value === null) this.total.value = 0;
    } finally {
      if (epoch === this.epoch) this.underWay.delete(page);
      this.ask();
    }
  }
}
