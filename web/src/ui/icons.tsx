// Icons: drawn here, so that no font and no other host is needed.
const paths = {
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6 6.5v6',
  board: 'M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z',
  calendar: 'M2.5 4h11v9h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  side: 'M2.5 3h11v10h-11zM6 3v10',
  open: 'M6 3.5H3v9.5h9.5V10M9 2.5h4.5V7M13.2 2.8 7.5 8.5',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  database: 'M3 4.2C3 3 5.2 2.5 8 2.5s5 .5 5 1.7-2.2 1.7-5 1.7-5-.5-5-1.7zM3 4.2v7.6c0 1.2 2.2 1.7 5 1.7s5-.5 5-1.7V4.2M3 8c0 1.2 2.2 1.7 5 1.7S13 9.200 13 8',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.800 3v10',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} fill="none" stroke="currentColor" stroke-width={name === 'more' ? 2 : 1.3} stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
