// What a person has chosen for this browser: it is remembered here and nowhere in the workspace.
import { computed, effect, signal } from '@preact/signals';

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

// In a narrow window the sidebar lies over the page until a database is chosen.
const narrow = matchMedia('(max-width: 800px)');
export const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', () => { isNarrow.value = narrow.matches; });
export const isDrawerOpen = signal(false);
export const isSidebarShown = computed(() => (isNarrow.value ? isDrawerOpen.value : preferences.value.sidebar));

export function toggleSidebar(): void {
  if (isNarrow.value) isDrawerOpen.value = !isDrawerOpen.value;
  else prefer({ sidebar: !preferences.value.sidebar });
}

effect(() => {
  localStorage.setItem(key, JSON.stringify(preferences.value));
  const { density, theme } = preferences.value;
  document.documentElement.dataset.theme = theme;
  document.documentElement.style.setProperty('--row', `${rowHeights[density]}px`);
});
