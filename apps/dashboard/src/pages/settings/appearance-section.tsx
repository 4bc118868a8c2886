import { ChoiceGroup } from '../../components/choice-group.js';
import { setPreferences, usePreferences } from '../../components/preferences/use-preferences.js';
import { Row, Section } from './section.js';

/** How the pages look, kept in this browser. */
export function AppearanceSection() {
  const { theme, density, times } = usePreferences();
  return (
    <Section title="Appearance">
      <Row name="Theme">
        <ChoiceGroup
          label="Theme"
          choices={[
            { value: 'system', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          value={theme}
          onChange={(value) => setPreferences({ theme: value })}
        />
      </Row>
      <Row name="Density">
        <ChoiceGroup
          label="Density"
          choices={[
            { value: 'comfortable', label: 'Comfortable' },
            { value: 'compact', label: 'Compact' },
          ]}
          value={density}
          onChange={(value) => setPreferences({ density: value })}
        />
      </Row>
      <Row name="Times">
        <ChoiceGroup
          label="Times"
          choices={[
            { value: 'local', label: 'Local' },
            { value: 'utc', label: 'UTC' },
          ]}
          value={times}
          onChange={(value) => setPreferences({ times: value })}
        />
      </Row>
    </Section>
  );
}
