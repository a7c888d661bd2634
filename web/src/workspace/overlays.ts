// Which of the things that lie over the page are open.
import { signal } from '@preact/signals';

export const isPaletteOpen = signal(false);
export const isHelpOpen = signal(false);
