// Dates as calendars know them, without time zones: a day is three numbers and their ISO text.
const dayMs = 86_400_000;

export const iso = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);

const stampOf = (date: string): number => Date.parse(`${date.slice(0, 10)}T00:00:00Z`);

export const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(stampOf(text));
export const addDays = (date: string, days: number): string => new Date(stampOf(date) + days * dayMs).toISOString().slice(0, 10);

export function addMonths(month: string, count: number): string {
  const [year = 1970, at = 1] = month.split('-').map(Number);
  return iso(year, at + count, 1).slice(0, 7);
}

// Today as the clock of this person's wall says it.
export function today(): string {
  const now = new Date();
  return iso(now.getFullYear(), now.getMonth() + 1, now.getDate());
}

// 0 for Monday, 6 for Sunday: the day a week begins with, as the browser's language has it.
export function firstWeekday(): number {
  const locale = new Intl.Locale(navigator.language) as Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } };
  return ((locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1) - 1;
}

// The days of the weeks that a month lies in.
export function monthDays(month: string): string[] {
  const first = `${month}-01`;
  const weekday = (new Date(stampOf(first)).getUTCDay() + 6) % 7;
  const begin = addDays(first, -((weekday - firstWeekday() + 7) % 7));
  const days: string[] = [];
  for (let i = 0; i < 42; ++i) {
    const day = addDays(begin, i);
    if (i % 7 === 0 && i > 0 && day.slice(0, 7) > month) break;
    days.push(day);
  }
  return days;
}

const inUtc = { timeZone: 'UTC' } as const;
export const monthName = (month: string): string =>
  new Intl.DateTimeFormat(navigator.language, { month: 'long', year: 'numeric', ...inUtc }).format(stampOf(`${month}-01`));
export const dayName = (date: string, length: 'short' | 'long'): string =>
  new Intl.DateTimeFormat(navigator.language, { weekday: length, ...inUtc }).format(stampOf(date));
export const fullDay = (date: string): string =>
  new Intl.DateTimeFormat(navigator.language, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', ...inUtc }).format(stampOf(date));
