import { type Api, type Operation, operations, service } from '@petstore/types';
import { Command } from 'commander';
import { argumentFor, optionFor } from './fields.ts';
import { commandNames } from './names.ts';
import { print } from './print.ts';

export interface GlobalOptions {
  baseUrl?: string;
}

/** The whole command tree, built from the operations of the spec. `connect` gives the service that a command calls. */
export function program(connect: (options: GlobalOptions) => Api): Command {
  const root = new Command('petctl')
    .description(service.summary)
    .version(service.version)
    .option('--base-url <url>', 'address of the service, ending in the version segment');
  const groups = new Map<string, Command>();
  for (const [operation, { group, name }] of commandNames(Object.values(operations))) {
    const parent = groups.get(group) ?? root.command(group);
    groups.set(group, parent);
    parent.addCommand(commandFor(operation, name, (input) => call(connect(root.opts()), operation, input)));
  }
  return root;
}

function commandFor(operation: Operation, name: string, run: (input: object) => Promise<unknown>): Command {
  const command = new Command(name).summary(operation.summary).description(operation.description);
  const positional: string[] = [];
  for (const [field, about] of Object.entries(operation.fields)) {
    if (about.in === 'path') {
      positional.push(field);
      command.addArgument(argumentFor(field, about));
    } else {
      command.addOption(optionFor(field, about).makeOptionMandatory(about.required));
    }
  }
  return command.action(async (...args: unknown[]) => {
    if (operation.deprecated) {
      process.stderr.write(
        `petctl: '${name}' is deprecated${operation.sunset ? ` and goes away on ${operation.sunset}` : ''}.\n`,
      );
    }
    const fromPath = Object.fromEntries(positional.map((field, i) => [field, args[i]]));
    print(await run({ ...fromPath, ...command.opts() }));
  });
}

function call(api: Api, { id }: Operation, input: object): Promise<unknown> {
  return (api[id as keyof Api] as (input: object) => Promise<unknown>)(input);
}
