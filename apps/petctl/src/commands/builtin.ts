import { type Flag, switchFlag, textArgument, valueFlag } from '../flags/flag.ts';
import { schemes } from '../keys/credentials.ts';
import type { CommandNode } from '../parse/command.ts';

/** The built-in commands, which load their code when they run. */
export function builtinCommands(): CommandNode[] {
  return [auth, completion, help];
}

function command(name: string, summary: string, more: Omit<CommandNode, 'name' | 'summary'>): CommandNode {
  return { name, summary, ...more };
}

/** The flag `--scheme`, if the service has several security schemes. */
function schemeFlags(): Flag[] {
  const [first, ...others] = schemes().map(({ name }) => name);
  if (first === undefined || others.length === 0) return [];
  const description = `The security scheme of the credential (default: ${first}).`;
  return [valueFlag('scheme', 'name', description, { schema: { type: 'string', enum: [first, ...others] } })];
}

const auth = command('auth', 'Store the API key, or show the one in use', {
  commands: [
    command('login', 'Store an API key for the base URL', {
      description:
        "Asks for the key without echo, tries it, and stores it in the system's keyring, or in a file that only you can read. petctl uses it for the origin of the base URL only.",
      examples: [
        ['', 'Ask for the key'],
        ['--with-key < key.txt', 'Read it from a file'],
        ['--deployment staging', 'For another deployment'],
      ],
      flags: [
        switchFlag('with-key', 'Read the key from stdin instead of asking for it.'),
        switchFlag('no-check', 'Store the key without trying it.'),
        ...schemeFlags(),
      ],
      run: async (invocation) => (await import('./auth.ts')).login(invocation),
    }),
    command('status', 'Show the key in use, where it is from, and whether the service accepts it', {
      examples: [['', 'Find the key, and try it']],
      flags: schemeFlags(),
      run: async (invocation) => (await import('./auth.ts')).status(invocation),
    }),
    command('logout', 'Remove the stored key for the base URL', {
      examples: [['', 'Remove it']],
      flags: schemeFlags(),
      run: async (invocation) => (await import('./auth.ts')).logout(invocation),
    }),
    command('token', 'Print the key, for other programs', {
      examples: [['', 'Print it']],
      flags: schemeFlags(),
      run: async (invocation) => (await import('./auth.ts')).token(invocation),
    }),
  ],
});

const completion = command('completion', 'Print the completion script for a shell', {
  examples: [
    ['bash >> ~/.bashrc', 'For bash'],
    ['zsh > ~/.zsh/completions/_petctl', 'For zsh, where that folder is in $fpath'],
    ['fish > ~/.config/fish/completions/petctl.fish', 'For fish'],
  ],
  args: [textArgument('shell', 'The shell.', { schema: { type: 'string', enum: ['bash', 'zsh', 'fish'] } })],
  run: async (invocation) => (await import('./completion-scripts.ts')).printScript(invocation),
});

const help = command('help', 'Help for a command', {
  examples: [['auth login', 'Help for a command']],
  args: [textArgument('command', 'The words of a command.', { required: false, rest: true })],
  run: async (invocation) => (await import('./help/help.ts')).helpOn(invocation),
});
