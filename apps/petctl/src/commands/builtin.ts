import type { Operation } from '@petstore/types';
import { version } from '../call/service.ts';
import { schemes } from '../keys/schemes.ts';
import type { CommandNode } from '../parse/command.ts';
import { callFlags } from '../parse/command.ts';
import type { Argument, Flag } from '../settings/flag.ts';
import { apiExamples } from './help/examples.ts';

const word = { type: 'string' } as const;

/** The built-in commands. Their code is loaded when they run. */
export function builtinCommands(operations: readonly Operation[]): CommandNode[] {
  return [{ ...api, examples: apiExamples(operations) }, auth, config, completion, docs, versionNode, help, complete];
}

const api: CommandNode = {
  name: 'api',
  summary: 'Send any request, with the same key, retries and output',
  description:
    'Sends any request without validating it. Fields become the query of GET, HEAD and DELETE, and the JSON body of other methods.',
  args: [
    { name: 'method', description: 'The HTTP method.', rules: word, required: true },
    { name: 'path', description: 'The path after the base URL, with its query.', rules: word, required: true },
  ],
  flags: [
    {
      name: 'field',
      short: 'f',
      value: 'key=value',
      description: 'A field: key=value as text or by its type in the interface; key:=json as JSON.',
      rules: word,
      repeatable: true,
    },
    {
      name: 'input',
      value: 'file',
      description: 'The file of the body, or - for stdin.',
      rules: word,
      completes: 'file',
    },
    {
      name: 'header',
      short: 'H',
      value: 'name: value',
      description: 'A header of the request.',
      rules: word,
      repeatable: true,
    },
    {
      name: 'include',
      short: 'i',
      description: 'Write the status and headers before the response.',
      rules: { type: 'boolean' },
    },
    {
      name: 'paginate',
      description: 'Follow the links to all pages, and write their elements.',
      rules: { type: 'boolean' },
    },
    ...callFlags,
  ],
  run: async (invocation) => (await import('./api.ts')).api(invocation),
};

const completion: CommandNode = {
  name: 'completion',
  summary: 'Print the completion script for a shell',
  examples: [
    ['bash >> ~/.bashrc', 'For bash'],
    ['zsh > ~/.zsh/completions/_petctl', 'For zsh, where that folder is in $fpath'],
    ['fish > ~/.config/fish/completions/petctl.fish', 'For fish'],
    ['powershell > petctl.ps1', 'For PowerShell: run the file in your profile'],
  ],
  args: [
    {
      name: 'shell',
      description: 'The shell.',
      rules: { type: 'string', enum: ['bash', 'zsh', 'fish', 'powershell'] },
      required: true,
    },
  ],
  run: async (invocation) => (await import('./completion.ts')).printScript(invocation),
};

const docs: CommandNode = {
  name: 'docs',
  summary: 'Print the URL of the documentation',
  examples: [
    ['', 'Print the URL'],
    ['--open', 'Open it in the browser'],
  ],
  flags: [{ name: 'open', description: 'Open it in the browser.', rules: { type: 'boolean' } }],
  run: async (invocation) => (await import('./docs.ts')).docs(invocation),
};

const versionNode: CommandNode = {
  name: 'version',
  summary: 'Print the version of petctl',
  examples: [['', 'The same as --version']],
  run: async ({ io }) => io.stdout.write(`${version}\n`),
};

const help: CommandNode = {
  name: 'help',
  summary: 'Help for a command, or for exit-codes, environment, formatting or inputs',
  examples: [
    ['exit-codes', 'Exit codes'],
    ['environment', 'Environment variables'],
    ['formatting', 'Formats of results'],
  ],
  args: [{ name: 'topic', description: 'A command or a topic.', rules: word, required: false, rest: true }],
  run: async (invocation) => (await import('./help/help.ts')).helpOn(invocation),
};

/** Called by the completion scripts with the typed words, the unfinished one last. */
const complete: CommandNode = {
  name: '__complete',
  summary: 'Candidates for a shell',
  hidden: true,
  verbatim: true,
  run: async (invocation) => (await import('./completion.ts')).complete(invocation),
};

const withKey: Flag = {
  name: 'with-key',
  description: 'Read the key from stdin instead of asking for it.',
  rules: { type: 'boolean' },
};

/** The flag for the scheme, if the service has several. */
function schemeFlags(): Flag[] {
  const all = schemes();
  const [first, ...others] = all.map(({ name }) => name);
  if (first === undefined || others.length === 0) return [];
  const description = `The security scheme of the credential (default: ${first}).`;
  return [{ name: 'scheme', value: 'name', description, rules: { type: 'string', enum: [first, ...others] } }];
}

/** The commands that store credentials. */
const auth: CommandNode = {
  name: 'auth',
  summary: 'Store the API key, or show the one in use',
  commands: [
    {
      name: 'login',
      summary: 'Store an API key for the base URL',
      description:
        "Asks for the key without echo, tries it, and stores it in the system's keyring, or in a file that only you can read. petctl uses it for this profile and the origin of the base URL only.",
      examples: [
        ['', 'Ask for the key'],
        ['--with-key < key.txt', 'Read it from a file'],
        ['--deployment staging', 'For another deployment'],
      ],
      flags: [
        withKey,
        { name: 'no-check', description: 'Store the key without trying it.', rules: { type: 'boolean' } },
        ...schemeFlags(),
      ],
      run: async (invocation) => (await import('./auth.ts')).login(invocation),
    },
    {
      name: 'status',
      summary: 'Show the key in use, its origin, and whether the service accepts it',
      examples: [['', 'Find the key, and try it']],
      flags: schemeFlags(),
      run: async (invocation) => (await import('./auth.ts')).status(invocation),
    },
    {
      name: 'list',
      summary: 'List the stored keys with profile, origin and place',
      examples: [['', 'List them without their values']],
      run: async (invocation) => (await import('./auth.ts')).list(invocation),
    },
    {
      name: 'logout',
      summary: 'Remove the stored key for the base URL',
      examples: [['', 'Remove it']],
      flags: schemeFlags(),
      run: async (invocation) => (await import('./auth.ts')).logout(invocation),
    },
    {
      name: 'token',
      summary: 'Print the key, for other programs',
      examples: [['', 'Print it']],
      flags: schemeFlags(),
      run: async (invocation) => (await import('./auth.ts')).token(invocation),
    },
  ],
};

const keyArgument: Argument = {
  name: 'key',
  description: 'The setting: the name of its flag.',
  rules: word,
  required: true,
  completes: 'setting',
};

/** The commands for settings. */
const config: CommandNode = {
  name: 'config',
  summary: 'Show the settings, and change them in a profile',
  commands: [
    {
      name: 'list',
      summary: 'List the settings in effect',
      examples: [['--show-origin', 'With the origin of each']],
      flags: [{ name: 'show-origin', description: 'The origin of each value.', rules: { type: 'boolean' } }],
      run: async (invocation) => (await import('./config.ts')).list(invocation),
    },
    {
      name: 'get',
      summary: 'Print one setting, for scripts',
      examples: [['base-url', 'The URL of the service']],
      args: [keyArgument],
      run: async (invocation) => (await import('./config.ts')).get(invocation),
    },
    {
      name: 'set',
      summary: 'Change a setting of the profile',
      examples: [
        ['output json', 'In the current profile'],
        ['base-url https://… --profile work', 'In another profile'],
      ],
      args: [
        keyArgument,
        { name: 'value', description: 'The value.', rules: word, required: true, completes: 'setting value' },
      ],
      run: async (invocation) => (await import('./config.ts')).set(invocation),
    },
    {
      name: 'use',
      summary: 'Select the profile for later runs',
      examples: [['work', 'The profile named work']],
      args: [
        { name: 'profile', description: 'The name of a profile.', rules: word, required: true, completes: 'profile' },
      ],
      run: async (invocation) => (await import('./config.ts')).use(invocation),
    },
    {
      name: 'unset',
      summary: 'Remove a setting from the profile',
      examples: [['output', 'Use the default again']],
      args: [keyArgument],
      run: async (invocation) => (await import('./config.ts')).unset(invocation),
    },
  ],
};
