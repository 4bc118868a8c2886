import { PageHeading } from '../../components/page-parts.js';
import { useBrowserSession } from '../../features/browser-session.js';
import { ChoiceGroup } from '../../components/choice-group.js';
import { setPreferences, usePreferences } from '../../components/preferences/use-preferences.js';
import { Switch } from '../../components/switch.js';
import { AuditLogSection } from './audit-log-section.js';
import { DefinitionsSection } from './definitions-section.js';
import { InstanceSection, UnreadableConnections } from './instance-section.js';
import { KeysSection } from './keys-section.js';
import { MaskingSection } from './masking-section.js';
import { MembersSection } from './members-section.js';
import { OrganizationSection } from './organization-section.js';
import { ProjectsSection } from './projects-section.js';
import { Row, Section } from './section.js';
import { SharesSection } from './shares-section.js';
import styles from './settings-page.module.css';

/** What a reader prefers, what this instance is, and in cloud mode who may use it. */
export function SettingsPage() {
  const session = useBrowserSession();
  const administered = session?.scopes.includes('admin') ? session.org : null;
  const mayRead = session?.mode === 'local' || session?.scopes.includes('read') === true;
  // In local mode there is one project, which nobody made.
  const masked = session?.mode === 'local' ? 'local' : mayRead ? session?.project?.id : undefined;
  return (
    <>
      <PageHeading title="Settings" />
      {mayRead && <UnreadableConnections />}
      <AppearanceSection />
      <KeyboardSection />
      <InstanceSection mayRead={mayRead} mayWrite={session?.mode !== 'cloud' || session.scopes.includes('write')} />
      {masked !== undefined && (
        <MaskingSection projectId={masked} mayChange={session?.mode !== 'cloud' || session.scopes.includes('admin')} />
      )}
      {mayRead && <DefinitionsSection />}
      {mayRead && session?.mode === 'cloud' && <SharesSection />}
      {administered && (
        <>
          <OrganizationSection />
          <ProjectsSection orgId={administered.id} />
          <MembersSection orgId={administered.id} />
          <KeysSection orgId={administered.id} />
          <AuditLogSection orgId={administered.id} />
        </>
      )}
    </>
  );
}

const APPEARANCE = [
  { name: 'theme', label: 'Theme', choices: { system: 'System', light: 'Light', dark: 'Dark' } },
  { name: 'density', label: 'Density', choices: { comfortable: 'Comfortable', compact: 'Compact' } },
  { name: 'times', label: 'Times', choices: { local: 'Local', utc: 'UTC' } },
] as const;

function AppearanceSection() {
  const preferences = usePreferences();
  return (
    <Section title="Appearance">
      {APPEARANCE.map(({ name, label, choices }) => (
        <Row key={name} name={label}>
          <ChoiceGroup
            label={label}
            choices={Object.entries(choices).map(([value, word]) => ({ value, label: word }))}
            value={preferences[name]}
            onChange={(value) => setPreferences({ [name]: value })}
          />
        </Row>
      ))}
    </Section>
  );
}

/** Whether keys without Ctrl do something (WCAG 2.1.4). */
function KeyboardSection() {
  const { singleKeys } = usePreferences();
  return (
    <Section title="Keyboard">
      <div>
        <Switch
          label="Single-key shortcuts"
          isOn={singleKeys}
          onChange={(isOn) => setPreferences({ singleKeys: isOn })}
        />
      </div>
      <p className={styles.hint}>
        When off, single keys such as <kbd>g</kbd> <kbd>t</kbd> and <kbd>x</kbd> do nothing, for speech input and
        accidental key presses. Keys with Ctrl, arrow keys, Enter and Escape still work. <kbd>?</kbd> or{' '}
        <kbd>Ctrl K</kbd> shows every key of a page.
      </p>
    </Section>
  );
}
