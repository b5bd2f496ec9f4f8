import { help } from '../docs/help.ts';
import { topics } from '../docs/topics.ts';
import { suggestion, UsageError } from '../errors/errors.ts';
import type { Invocation } from '../invocation.ts';
import type { CommandNode } from '../tree/node.ts';

/** Help for a command, or on a topic. */
export async function helpOn({ io, args, root }: Invocation): Promise<void> {
  const words = args.map(String);
  const topic = words.length === 1 ? topics().find(({ name }) => name === words[0]) : undefined;
  if (topic) return io.stdout.write(`${topic.title}\n\n${topic.text}\n`);
  let node: CommandNode = root;
  for (const word of words) {
    const { commands = [] } = node;
    const child = commands.find(({ name }) => name === word);
    const names = [...commands.map(({ name }) => name), ...(node === root ? topics().map(({ name }) => name) : [])];
    if (!child)
      throw new UsageError(
        `There is no help on '${words.join(' ')}'.`,
        suggestion(word, names, `There is some on ${names.join(', ')}.`),
      );
    node = child;
  }
  await io.stdout.write(help({ path: words, node }, io));
}
