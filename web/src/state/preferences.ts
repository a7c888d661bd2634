// What a person has chosen for this browser: it is remembered here and nowhere in the workspace.
import { effect, signal } from '@preact/signals';

export type Density = 'compact' | 'normal' | 'roomy';
export type Theme = 'system' | 'light' | 'dark';

interface Preferences {
  density: Density;
  theme: Theme;
  sidebar: boolean;
  panelWidth: number;
  widths: Record<string, Record<string, number>>;  // of a database's columns
}

const key = 'notesdb-preferences';
const fallback: Preferences = { density: 'normal', theme: 'system', sidebar: true, panelWidth: 460, widths: {} };

function read(): Preferences {
  try {
    return { ...fallback, ...JSON.parse(localStorage.getItem(key) ?? '{}') };
  } catch {
    return fallback;
  }
}

export const preferences = signal<Preferences>(read());
export const rowHeights: Record<Density, number> = { compact: 28, normal: 32, roomy: 40 };

export function prefer(change: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...change };
}

effect(() => {
  localStorage.setItem(key, JSON.stringify(preferences.value));
  const { density, theme } = preferences.value;
  document.documentElement.dataset.theme = theme;
  document.documentElement.style.setProperty('--row', `${rowHeights[density]}px`);
});
