import type { CommandNode } from './node.ts';

const word = { type: 'string' } as const;

/** The commands that concern the settings. */
export const config: CommandNode = {
  name: 'config',
  summary: 'Look at the settings, and change them in a profile',
  commands: [
    {
      name: 'list',
      summary: 'The settings as they hold here',
      examples: [['--show-origin', 'And where each comes from']],
      flags: [{ name: 'show-origin', description: 'Where each value comes from.', rules: { type: 'boolean' } }],
      run: async (invocation) => (await import('../commands/config.ts')).list(invocation),
    },
    {
      name: 'set',
      summary: 'Change a setting of the profile',
      examples: [
        ['output json', 'In the profile that is used'],
        ['base-url https://… --profile work', 'In another one'],
      ],
      args: [
        { name: 'key', description: 'The setting, by the name of its flag.', rules: word, required: true },
        { name: 'value', description: 'Its value.', rules: word, required: true },
      ],
      run: async (invocation) => (await import('../commands/config.ts')).set(invocation),
    },
    {
      name: 'unset',
      summary: 'Take a setting out of the profile',
      examples: [['output', 'As if it had never been set']],
      args: [{ name: 'key', description: 'The setting, by the name of its flag.', rules: word, required: true }],
      run: async (invocation) => (await import('../commands/config.ts')).unset(invocation),
    },
  ],
};
