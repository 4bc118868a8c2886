/** Strokes of the icons on a grid of 16 × 16. */
const PATHS = {
  analytics: 'M2.5 13.5h11M4.5 11V7.500M8 11V3.500M11.500 11V6',
  arrowDown: 'M8 3v10M4 9l4 4 4-4',
  arrowLeft: 'M13 8H3m4-4L3 8l4 4',
  arrowRight: 'M3 8h10M9 4l4 4-4 4',
  arrowUp: 'M8 13V3M4 7l4-4 4 4',
  check: 'M3 8.5 6.5 12 13 4.5',
  chevronDown: 'm4 6 4 4 4-4',
  chevronRight: 'm6 4 4 4-4 4',
  close: 'M4 4l8 8m0-8-8 8',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  command:
    'M6 6h4v4H6zM6 6H4.5A1.5 1.5 0 1 1 6 4.500zm4 0V4.500A1.500 1.500 0 1 1 11.500 6zm0 4h1.500a1.500 1.500 0 1 1-1.500 1.500zM6 10v1.500A1.500 1.500 0 1 1 4.500 10z',
  connections: 'M5 2.500v3M9 2.500v3M3.500 5.500h7V8a3.500 3.500 0 0 1-7 0zM7 11.500v1.500a1 1 0 0 0 1 1h5.500',
  copy: 'M5.500 5.500h8v8h-8zM3.500 10.500h-1v-8h8v1',
  download: 'M8 2.500v8M4.500 7.500 8 11l3.500-3.500M2.500 13.500h11',
  error: 'M8 2.500 14.500 13.500h-13zM8 6.500v3M8 11.300v.2',
  evaluations: 'M6.500 4h7M6.500 8h7M6.500 12h7M2 4l1 1 1.700-2M2 8l1 1 1.700-2M2 12l1 1 1.700-2',
  filter: 'M2.500 3.500h11L9.500 8.500v4l-3 1.500V8.500z',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.500V11M8 5.200v.2',
  keyboard: 'M1.500 4h13v8h-13zM4 6.500h.1M6.600 6.500h.1M9.200 6.500h.1M11.800 6.500h.1M5 9.500h6',
  link: 'M6.500 9.500l3-3M7 4.500l1.500-1.500a2.800 2.800 0 0 1 4 4L11 8.500M9 11.500 7.500 13a2.800 2.800 0 0 1-4-4L5 7.500',
  live: 'M8 9.200a1.200 1.200 0 1 0 0-2.400 1.200 1.200 0 0 0 0 2.400zM4.800 11.200a4.500 4.500 0 0 1 0-6.400M11.200 4.800a4.500 4.500 0 0 1 0 6.400M2.700 13.300a7.500 7.500 0 0 1 0-10.600M13.300 2.700a7.500 7.500 0 0 1 0 10.600',
  minus: 'M3 8h10',
  plus: 'M8 3v10M3 8h10',
  search: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.300 10.300l3.200 3.200',
  sessions: 'M2.500 3h8v5.500h-4L4 10.500v-2H2.500zM12 6.500h1.500V12H12v1.500L10 12H7v-1.500',
  settings: 'M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M10 3v3M6 10v3',
  spans: 'M2.500 3.500h5v3h-5zM6.500 9.500h7v3h-7zM5 6.500v4.500h1.500',
  table: 'M2.500 3h11v10h-11zM2.500 6.300h11M2.500 9.600h11M6.500 3v10',
  trash: 'M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.600 9h5.800l.600-9',
  traces: 'M2.500 4h7M4.500 8h9M6.500 12h4',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon beside words; it says nothing to a screen reader. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
