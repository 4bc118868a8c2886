/** The models of the fake; their names say what they are. */
export const FAKE_MODELS = {
  chat: 'demo-fake-chat',
  /** Says what the other one says. */
  agent: 'demo-fake-agent',
  embedding: 'demo-fake-embedding',
} as const;
