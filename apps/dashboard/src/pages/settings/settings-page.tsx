import { PageHeading } from '../../components/page-heading.js';
import { useBrowserSession } from '../../features/sign-in/use-browser-session.js';
import { AppearanceSection } from './appearance-section.js';
import { AuditLogSection } from './audit-log-section.js';
import { InstanceSection } from './instance-section.js';
import { KeyboardSection } from './keyboard-section.js';
import { KeysSection } from './keys-section.js';
import { MaskingSection } from './masking-section.js';
import { MembersSection } from './members-section.js';
import { OrganizationSection } from './organization-section.js';
import { ProjectsSection } from './projects-section.js';
import { UnreadableConnections } from './unreadable-connections.js';

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
