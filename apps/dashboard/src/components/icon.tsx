const PATHS = {
  analytics: 'M2.5 13.5h11M4.5 11V7.5M8 11V3.5M11.5 11V6',
  arrowDown: 'M8 3v10M4 9l4 4 4-4',
  arrowUp: 'M8 13V3M4 7l4-4 4 4',
  bell: 'M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.8 14h2.4',
  check: 'M3 8.5 6.5 12 13 4.5',
  chevronDown: 'm4 6 4 4 4-4',
  chevronRight: 'm6 4 4 4-4 4',
  close: 'M4 4l8 8m0-8-8 8',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  command:
    'M6 6h4v4H6zM6 6H4.5A1.5 1.5 0 1 1 6 4.5zm4 0V4.5A1.5 1.5 0 1 1 11.5 6zm0 4h1.5a1.5 1.5 0 1 1-1.5 1.5zM6 10v1.5A1.5 1.5 0 1 1 4.5 10z',
  connections: 'M5 2.5v3M9 2.5v3M3.5 5.5h7V8a3.5 3.5 0 0 1-7 0zM7 11.5v1.5a1 1 0 0 0 1 1h5.5',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M2.5 13.5h11',
  error: 'M8 2.5 14.5 13.5h-13zM8 6.5v3M8 11.3v.2',
  evaluations: 'M6.5 4h7M6.5 8h7M6.5 12h7M2 4l1 1 1.7-2M2 8l1 1 1.7-2M2 12l1 1 1.7-2',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.1M6.6 6.5h.1M9.2 6.5h.1M11.8 6.5h.1M5 9.5h6',
  link: 'M6.5 9.5l3-3M7 4.5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5 7.5 13a2.8 2.8 0 0 1-4-4L5 7.5',
  live: 'M8 9.2a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4zM4.8 11.2a4.5 4.5 0 0 1 0-6.4M11.2 4.8a4.5 4.5 0 0 1 0 6.4M2.7 13.3a7.5 7.5 0 0 1 0-10.6M13.3 2.7a7.5 7.5 0 0 1 0 10.6',
  more: 'M3 7.5v1M8 7.5v1M13 7.5v1',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  play: 'M5 3v10l8-5z',
  plus: 'M8 3v10M3 8h10',
  scoring: 'M2.5 12.5a5.5 5.5 0 1 1 11 0M8 12.5l2.5-4.5',
  sessions: 'M2.5 3h8v5.5h-4L4 10.5v-2H2.5zM12 6.5h1.5V12H12v1.5L10 12H7v-1.5',
  settings: 'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 3v3M6 10v3',
  spans: 'M2.5 3.5h5v3h-5zM6.5 9.5h7v3h-7zM5 6.5v4.5h1.5',
  table: 'M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.5 3v10',
  users: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2 14q6-8 12 0',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  wrap: 'M2.5 4h11M2.5 8h9a2 2 0 0 1 0 4H8l1.5-1.5M8 12l1.5 1.5M2.5 12H5',
  terminal: 'M2.5 3h11v10h-11zM5 6l2 2-2 2M8.5 10H11',
  traces: 'M2.5 4h7M4.5 8h9M6.5 12h4',
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
