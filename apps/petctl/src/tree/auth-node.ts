import { schemes } from '../keys/schemes.ts';
import type { CommandNode, Flag } from './node.ts';

const withKey: Flag = {
  name: 'with-key',
  description: 'Read the key from stdin instead of asking for it.',
  rules: { type: 'boolean' },
};

/** Which credential is meant, where the service takes several. */
function schemeFlags(): Flag[] {
  const all = schemes();
  const [first, ...others] = all.map(({ name }) => name);
  if (first === undefined || others.length === 0) return [];
  const description = `The security scheme that the credential is for; ${first} unless given.`;
  return [{ name: 'scheme', value: 'name', description, rules: { type: 'string', enum: [first, ...others] } }];
}

/** The commands that store credentials. */
export const auth: CommandNode = {
  name: 'auth',
  summary: 'Store the API key, or see which one is used',
  commands: [
    {
      name: 'login',
      summary: 'Store an API key for the address that requests go to',
      description:
        'Asks for the key without showing it, tries it, and stores it in the keyring of the system, or in a file that only you can read. It is bound to the origin of the address and never sent anywhere else.',
      examples: [
        ['', 'Ask for the key'],
        ['--with-key < key.txt', 'Take it from a file'],
        ['--deployment staging', 'For another deployment'],
      ],
      flags: [
        withKey,
        { name: 'no-check', description: 'Store the key without trying it.', rules: { type: 'boolean' } },
        ...schemeFlags(),
      ],
      run: async (invocation) => (await import('../commands/auth.ts')).login(invocation),
    },
    {
      name: 'status',
      summary: 'Show which key is used, from where, and whether the service accepts it',
      examples: [['', 'Look it up, and try it']],
      flags: schemeFlags(),
      run: async (invocation) => (await import('../commands/auth.ts')).status(invocation),
    },
    {
      name: 'logout',
      summary: 'Remove the stored key for the address that requests go to',
      examples: [['', 'Remove it']],
      flags: schemeFlags(),
      run: async (invocation) => (await import('../commands/auth.ts')).logout(invocation),
    },
    {
      name: 'token',
      summary: 'Print the key, for other programs',
      examples: [['', 'Print it']],
      flags: schemeFlags(),
      run: async (invocation) => (await import('../commands/auth.ts')).token(invocation),
    },
  ],
};
