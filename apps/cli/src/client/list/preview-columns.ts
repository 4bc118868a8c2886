import type { Column } from '../output/table.js';

/** What has previews where `--preview` asks for them (docs/spec/outlines.md#previews). */
interface Previewed {
  input_preview?: string | null;
  output_preview?: string | null;
}

/** The beginnings of texts, behind the other columns of a list. */
export const PREVIEW_COLUMNS: readonly Column<object>[] = [
  { title: 'INPUT', text: (item: Previewed) => item.input_preview ?? '', shrinks: true },
  { title: 'OUTPUT', text: (item: Previewed) => item.output_preview ?? '', shrinks: true },
];
