import { type Operation, service } from '@petstore/types';
import { version } from '../call/client.ts';
import { type Flag, switchFlag, textArgument, valueFlag } from '../flags/flag.ts';
import { openInBrowser } from '../io/process-io.ts';
import { schemes } from '../keys/credentials.ts';
import { type CommandNode, callFlags } from '../parse/command.ts';
import { apiExamples } from './help/examples.ts';

/** The built-in commands, most of which load their code when they run. */
export function builtinCommands(operations: readonly Operation[]): CommandNode[] {
  return [apiNode(operations), auth, config, completion, docs, versionNode, help];
}

function apiNode(operations: readonly Operation[]): CommandNode {
  return command('api', 'Send any request, with the same key, retries and output', {
    description:
      'Sends any request without validating it. Fields become the query of GET, HEAD and DELETE, and the JSON body of other methods. The default format of results is json.',
    examples: apiExamples(operations),
    args: [
      textArgument('method', 'The HTTP method.'),
      textArgument('path', 'The path after the base URL, with its query.'),
    ],
    flags: [
      valueFlag(
        'field',
        'key=value',
        'A field: key=value is sent with its type in the spec, or as text without one; key:=json is sent as JSON.',
        {
          short: 'f',
          repeatable: true,
        },
      ),
      valueFlag('input', 'file', 'The file of the body, or - for stdin.', { completes: 'file' }),
      valueFlag('header', 'name: value', 'A header of the request.', { short: 'H', repeatable: true }),
      switchFlag('include', 'Write the status and headers before the response.', { short: 'i' }),
      switchFlag('paginate', 'Follow the links to all pages, and write their elements.'),
      ...callFlags,
    ],
    run: async (invocation) => (await import('./api.ts')).api(invocation),
  });
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
        "Asks for the key without echo, tries it, and stores it in the system's keyring, or in a file that only you can read. petctl uses it for this profile and the origin of the base URL only.",
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
    command('list', 'List the stored keys: profile, URL origin, scheme, and where each is stored', {
      examples: [['', 'List them without their values']],
      run: async (invocation) => (await import('./auth.ts')).list(invocation),
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

const settingArgument = textArgument('key', 'The setting: the name of its flag.', { completes: 'setting' });

const config = command('config', 'Show the settings, and change them in a profile', {
  commands: [
    command('list', 'List the settings in effect', {
      examples: [['--show-origin', 'The settings, and where each is set']],
      flags: [switchFlag('show-origin', 'Show where each value is set.')],
      run: async (invocation) => (await import('./config.ts')).list(invocation),
    }),
    command('get', 'Print one setting, for scripts', {
      examples: [['base-url', 'The URL of the service']],
      args: [settingArgument],
      run: async (invocation) => (await import('./config.ts')).get(invocation),
    }),
    command('set', 'Change a setting of the profile', {
      examples: [
        ['output json', 'In the current profile'],
        ['base-url https://… --profile work', 'In another profile'],
      ],
      args: [settingArgument, textArgument('value', 'The value.', { completes: 'setting value' })],
      run: async (invocation) => (await import('./config.ts')).change(invocation),
    }),
    command('use', 'Select the profile for later runs', {
      examples: [['work', 'The profile named work']],
      args: [textArgument('profile', 'The name of a profile.', { completes: 'profile' })],
      run: async ({ io, args }) => (await import('./config.ts')).useProfile(io.env, String(args[0])),
    }),
    command('unset', 'Remove a setting from the profile', {
      examples: [['output', 'Use the default again']],
      args: [settingArgument],
      run: async (invocation) => (await import('./config.ts')).change(invocation),
    }),
  ],
});

const completion = command('completion', 'Print the completion script for a shell', {
  examples: [
    ['bash >> ~/.bashrc', 'For bash'],
    ['zsh > ~/.zsh/completions/_petctl', 'For zsh, where that folder is in $fpath'],
    ['fish > ~/.config/fish/completions/petctl.fish', 'For fish'],
    ['powershell > petctl.ps1', 'For PowerShell: run the file in your profile'],
  ],
  args: [
    textArgument('shell', 'The shell.', { schema: { type: 'string', enum: ['bash', 'zsh', 'fish', 'powershell'] } }),
  ],
  run: async (invocation) => (await import('./completion-scripts.ts')).printScript(invocation),
});

const docs = command('docs', 'Print the URL of the documentation', {
  examples: [
    ['', 'Print the URL'],
    ['--open', 'Open it in the browser'],
  ],
  flags: [switchFlag('open', 'Open it in the browser.')],
  run: async ({ io, flags, userSettings }) => {
    // `docs` replaces the base path at the end of the URL's path. A proxy may have added a path before it.
    const url = new URL(userSettings.baseUrl.value);
    const segments = url.pathname.split('/');
    const depth = service.basePath.split('/').length - 1;
    url.pathname = [...segments.slice(0, segments.length - depth), 'docs'].join('/');
    await io.stdout.write(`${url}\n`);
    if (flags.has('open')) await openInBrowser(url.href);
  },
});

const versionNode = command('version', 'Print the version of petctl', {
  examples: [['', 'The same as --version']],
  run: async ({ io }) => io.stdout.write(`${version}\n`),
});

const help = command('help', 'Help for a command, or for exit-codes, environment, formatting or inputs', {
  examples: [
    ['exit-codes', 'Exit codes'],
    ['environment', 'Environment variables'],
    ['formatting', 'Formats of results'],
  ],
  args: [textArgument('topic', 'A command or a topic.', { required: false, rest: true })],
  run: async (invocation) => (await import('./help/help.ts')).helpOn(invocation),
});
