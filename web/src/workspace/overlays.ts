// Which of the things that lie over the page are open.
import { signal } from '@preact/signals';
import type { Fields } from '../api/types';
import { isReadOnly } from '../state/workspace';
import { say } from '../ui/Toasts';

export const isPaletteOpen = signal(false);
export const isHelpOpen = signal(false);
export const isCreating = signal(false);
export const isInferring = signal(false);
export const isDropping = signal(false);

export interface Dropped {
  name: string;
  text: string;
}
// The file that is to be imported.
export const importing = signal<Dropped | null>(null);
// The fields that a new row begins with; null while none is asked for.
export const newRow = signal<Fields | null>(null);

export function openNewRow(fields: Fields = {}): void {
  if (isReadOnly.value) say('This workspace is read-only');
  else newRow.value = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
