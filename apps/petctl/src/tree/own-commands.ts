import type { Operation } from '@petstore/types';
import { apiExamples } from './api-examples.ts';
import { auth } from './auth-node.ts';
import { config } from './config-node.ts';
import type { CommandNode } from './node.ts';
import { callFlags } from './shared-flags.ts';

const word = { type: 'string' } as const;

/** The commands that are petctl's own. What they do is loaded when they are called. */
export function ownCommands(operations: readonly Operation[]): CommandNode[] {
  return [{ ...api, examples: apiExamples(operations) }, auth, config, completion, docs, help, complete];
}

const api: CommandNode = {
  name: 'api',
  summary: 'Send any request, with the same key, retries and output',
  description:
    'The raw way in. Fields go to the query of GET, HEAD and DELETE and to the JSON body of everything else; nothing is checked before it is sent.',
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
    ...callFlags,
  ],
  run: async (invocation) => (await import('../commands/api.ts')).api(invocation),
};

const completion: CommandNode = {
  name: 'completion',
  summary: 'The script that lets a shell complete petctl',
  examples: [
    ['bash >> ~/.bashrc', 'For bash'],
    ['zsh > ~/.zsh/completions/_petctl', 'For zsh, where that folder is in $fpath'],
    ['fish > ~/.config/fish/completions/petctl.fish', 'For fish'],
  ],
  args: [
    {
      name: 'shell',
      description: 'Which shell.',
      rules: { type: 'string', enum: ['bash', 'zsh', 'fish'] },
      required: true,
    },
  ],
  run: async (invocation) => (await import('../completion/scripts.ts')).printScript(invocation),
};

const docs: CommandNode = {
  name: 'docs',
  summary: 'Where the documentation of the service is',
  examples: [
    ['', 'Print the address'],
    ['--open', 'Open it in the browser'],
  ],
  flags: [{ name: 'open', description: 'Open it in the browser.', rules: { type: 'boolean' } }],
  run: async (invocation) => (await import('../commands/docs.ts')).docs(invocation),
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
  run: async (invocation) => (await import('../commands/help.ts')).helpOn(invocation),
};

/** What the completion scripts call: the words that were typed, the unfinished one last. */
const complete: CommandNode = {
  name: '__complete',
  summary: 'Candidates for a shell',
  hidden: true,
  verbatim: true,
  run: async (invocation) => (await import('../completion/candidates.ts')).complete(invocation),
};
