import { BASE } from '../../api/project-base.js';
import { ButtonMenu, ButtonMenuLink } from '../../components/button-menu.js';

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
        <ButtonMenuLink
          key={format}
          download=""
          href={`${BASE}/api/datasets/${encodeURIComponent(datasetId)}/export?format=${format}`}
        >
          {label}
        </ButtonMenuLink>
      ))}
    </ButtonMenu>
  );
}
