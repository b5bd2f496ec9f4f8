import type { Operation } from '@petstore/types';
import { version } from '../call/service.ts';
import { schemes } from '../keys/schemes.ts';
import { callFlags } from '../parse/flags.ts';
import type { CommandNode } from '../parse/node.ts';
import type { Argument, Flag } from '../settings/flag.ts';
import { apiExamples } from './help/examples.ts';

const word = { type: 'string' } as const;

/** The commands that are petctl's own. What they do is loaded when they are called. */
export function ownCommands(operations: readonly Operation[]): CommandNode[] {
  return [{ ...api, examples: apiExamples(operations) }, auth, config, completion, docs, versionNode, help, complete];
}

const api: CommandNode = {
  name: 'api',
  summary: 'Send any request, with the same key, retries and output',
  description:
    'Sends the request as it is given. Fields go to the query of GET, HEAD and DELETE and to the JSON body of everything else; nothing is checked before it is sent.',
  args: [
    { name: 'method', description: 'The method of HTTP.', rules: word, required: true },
    { name: 'path', description: 'The path behind the base address, with its query.', rules: word, required: true },
  ],
  flags: [
    {
      name: 'field',
      short: 'f',
      value: 'key=value',
      description: 'A field: key=value is text, or what the interface says it is; key:=json anything else.',
      rules: word,
      repeatable: true,
    },
    {
      name: 'input',
      value: 'file',
      description: 'The body from a file, or - for stdin.',
      rules: word,
      completes: 'file',
    },
    {
      name: 'header',
      short: 'H',
      value: 'name: value',
      description: 'A header to send.',
      rules: word,
      repeatable: true,
    },
    {
      name: 'include',
      short: 'i',
      description: 'Write the status and the headers of the response before it.',
      rules: { type: 'boolean' },
    },
    {
      name: 'paginate',
      description: 'Follow the links to further pages, and write all their elements.',
      rules: { type: 'boolean' },
    },
    ...callFlags,
  ],
  run: async (invocation) => (await import('./api.ts')).api(invocation),
};

const completion: CommandNode = {
  name: 'completion',
  summary: 'The script that lets a shell complete petctl',
  examples: [
    ['bash >> ~/.bashrc', 'For bash'],
    ['zsh > ~/.zsh/completions/_petctl', 'For zsh, where that folder is in $fpath'],
    ['fish > ~/.config/fish/completions/petctl.fish', 'For fish'],
    ['powershell > petctl.ps1', 'For PowerShell: run the file in your profile'],
  ],
  args: [
    {
      name: 'shell',
      description: 'Which shell.',
      rules: { type: 'string', enum: ['bash', 'zsh', 'fish', 'powershell'] },
      required: true,
    },
  ],
  run: async (invocation) => (await import('./completion.ts')).printScript(invocation),
};

const docs: CommandNode = {
  name: 'docs',
  summary: 'Where the documentation of the service is',
  examples: [
    ['', 'Print the address'],
    ['--open', 'Open it in the browser'],
  ],
  flags: [{ name: 'open', description: 'Open it in the browser.', rules: { type: 'boolean' } }],
  run: async (invocation) => (await import('./docs.ts')).docs(invocation),
};

const versionNode: CommandNode = {
  name: 'version',
  summary: 'The version of petctl',
  examples: [['', 'The same as --version']],
  run: async ({ io }) => io.stdout.write(`${version}\n`),
};

const help: CommandNode = {
  name: 'help',
  summary: 'Help for a command, or on exit-codes, environment, formatting or inputs',
  examples: [
    ['exit-codes', 'What the exit codes mean'],
    ['environment', 'Which variables are read'],
    ['formatting', 'How results are written'],
  ],
  args: [{ name: 'topic', description: 'A command or a topic.', rules: word, required: false, rest: true }],
  run: async (invocation) => (await import('./help/help.ts')).helpOn(invocation),
};

/** What the completion scripts call: the words that were typed, the unfinished one last. */
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

/** Which credential is meant, where the service takes several. */
function schemeFlags(): Flag[] {
  const all = schemes();
  const [first, ...others] = all.map(({ name }) => name);
  if (first === undefined || others.length === 0) return [];
  const description = `The security scheme that the credential is for; ${first} unless given.`;
  return [{ name: 'scheme', value: 'name', description, rules: { type: 'string', enum: [first, ...others] } }];
}

/** The commands that store credentials. */
const auth: CommandNode = {
  name: 'auth',
  summary: 'Store the API key, or see which one is used',
  commands: [
    {
      name: 'login',
      summary: 'Store an API key for the address that requests go to',
      description:
        'Asks for the key without showing it, tries it, and stores it in the keyring of the system, or in a file that only you can read. It belongs to the profile, for the origin of the address, and is never sent anywhere else.',
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
      run: async (invocation) => (await import('./auth.ts')).login(invocation),
    },
    {
      name: 'status',
      summary: 'Show which key is used, from where, and whether the service accepts it',
      examples: [['', 'Look it up, and try it']],
      flags: schemeFlags(),
      run: async (invocation) => (await import('./auth.ts')).status(invocation),
    },
    {
      name: 'list',
      summary: 'The stored keys: for which profile and address, and where',
      examples: [['', 'List them; the keys themselves are not shown']],
      run: async (invocation) => (await import('./auth.ts')).list(invocation),
    },
    {
      name: 'logout',
      summary: 'Remove the stored key for the address that requests go to',
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
  description: 'The setting, by the name of its flag.',
  rules: word,
  required: true,
  completes: 'setting',
};

/** The commands that concern the settings. */
const config: CommandNode = {
  name: 'config',
  summary: 'Look at the settings, and change them in a profile',
  commands: [
    {
      name: 'list',
      summary: 'The settings in effect here',
      examples: [['--show-origin', 'And where each comes from']],
      flags: [{ name: 'show-origin', description: 'Where each value comes from.', rules: { type: 'boolean' } }],
      run: async (invocation) => (await import('./config.ts')).list(invocation),
    },
    {
      name: 'get',
      summary: 'One setting in effect here, for scripts',
      examples: [['base-url', 'Where requests go']],
      args: [keyArgument],
      run: async (invocation) => (await import('./config.ts')).get(invocation),
    },
    {
      name: 'set',
      summary: 'Change a setting of the profile',
      examples: [
        ['output json', 'In the profile that is used'],
        ['base-url https://… --profile work', 'In another one'],
      ],
      args: [
        keyArgument,
        { name: 'value', description: 'Its value.', rules: word, required: true, completes: 'setting value' },
      ],
      run: async (invocation) => (await import('./config.ts')).set(invocation),
    },
    {
      name: 'use',
      summary: 'Choose the profile to use from now on',
      examples: [['work', 'That of the name work']],
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
