import { ButtonMenu, ButtonMenuDownload } from '../../components/button-menu.js';

const FORMATS = [
  { format: 'jsonl', label: 'JSON Lines' },
  { format: 'json', label: 'JSON' },
  { format: 'csv', label: 'CSV' },
] as const;

/** The button `Export`: a link for each format in which the datapoints can be saved. */
export function ExportMenu({ datasetId }: { datasetId: string }) {
  return (
    <ButtonMenu label="Export" icon="download">
      {FORMATS.map(({ format, label }) => (
        <ButtonMenuDownload
          key={format}
          href={`/api/datasets/${encodeURIComponent(datasetId)}/export?format=${format}`}
        >
          {label}
        </ButtonMenuDownload>
      ))}
    </ButtonMenu>
  );
}
