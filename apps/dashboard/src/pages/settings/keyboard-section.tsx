import { setPreferences, usePreferences } from '../../components/preferences/use-preferences.js';
import { Switch } from '../../components/switch.js';
import { Section } from './section.js';
import styles from './settings-page.module.css';

/** Whether keys without Ctrl do something (WCAG 2.1.4). */
export function KeyboardSection() {
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
        Off, keys such as <kbd>g</kbd> <kbd>t</kbd> and <kbd>x</kbd> do nothing by themselves: for speech input, and for
        hands that press keys by accident. Keys with Ctrl, arrows, Enter and Escape work as ever. <kbd>?</kbd> or{' '}
        <kbd>Ctrl K</kbd> shows every key of a page.
      </p>
    </Section>
  );
}
