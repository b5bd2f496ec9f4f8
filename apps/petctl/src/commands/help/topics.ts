import { type Scheme, schemes } from '../../keys/schemes.ts';
import { exitCodes } from '../../output/report.ts';
import { settings } from '../../settings/settings.ts';

/** Something that concerns every command. */
export interface Topic {
  readonly name: string;
  readonly title: string;
  /** Lines of at most 100 columns. */
  readonly text: string;
}

/** The topics of `petctl help`. */
export function topics(): readonly Topic[] {
  return [
    {
      name: 'exit-codes',
      title: 'What the exit codes mean',
      text: Object.values(exitCodes)
        .map(({ exit, meaning }) => `  ${String(exit).padStart(3)}  ${meaning}`)
        .join('\n'),
    },
    { name: 'environment', title: 'Which variables are read', text: environment() },
    { name: 'formatting', title: 'How results and errors are written', text: formatting },
    { name: 'inputs', title: 'How values are given', text: inputs },
  ];
}

function environment(): string {
  const rows = [
    ...schemes().map(aboutVariable),
    ...Object.values(settings).map(({ env, flag }) => [env, flag.description]),
    [
      'NO_COLOR, FORCE_COLOR',
      'No colours, or colours where there would be none; --color and --no-color override both.',
    ],
    ['XDG_CONFIG_HOME', 'The folder that holds petctl/config.json and petctl/credentials.json (default: ~/.config).'],
    ['http_proxy, https_proxy', 'The proxies to go through; all_proxy for both, no_proxy for what to reach directly.'],
    ['NODE_EXTRA_CA_CERTS', 'A file of further certificates to trust.'],
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length));
  const table = rows.map(([name = '', about]) => `  ${name.padEnd(width)}  ${about}`).join('\n');
  return `Flags override environment variables, variables override the profile, and the profile overrides the default.\n\n${table}`;
}

function aboutVariable({ variable, isKey, name, type }: Scheme): [string, string] {
  const what = isKey ? 'The API key' : `The credential of '${name}'${type === 'basic' ? ', as user:password' : ''}`;
  return [variable, `${what}. It overrides a stored one. No flag takes one.`];
}

const formatting = `  -o table   aligned, cut to the width of the terminal, under a bold header: the default on a terminal
  -o tsv     separated by tabs, no header, nothing cut: the default in a pipe
  -o json    one JSON document; a list has one element a line
  -o jsonl   one JSON object a line
  -o yaml    YAML 1.2
  -o csv     separated by commas, with a header

  --fields id,name     only these properties, in this order, in every format
  --jq '.[].name'      through jq: what -o json would write, as a whole
  --jq .name -o jsonl  each element by itself, as it comes

Results go to stdout, everything else to stderr. Control characters are written as escapes, \\u001b say, so
that no name can inject escape sequences; in JSON and YAML they are still the same text.

With -o json or jsonl, an error is one line of JSON on stderr:
  {"error":{"code":…,"message":…,"status":…,"requestId":…,"exit":…,"hint":…}}
and a notice is {"notice":{"message":…}}. Notices about cut lists and deprecated operations appear on a
terminal and with -v only; --quiet silences all.`;

const inputs = `  --tame, --tame=false        a boolean; --no-tame is --tame=false
  --tags a,b --tags c         a list: commas, the flag again, or both; '["a,b"]' for a comma in an element
  --visits '{"on":"monday"}'  a list of objects: one a flag, or a JSON array
  --owner.name Ann            a property of an object
  --owner '{"name":"Ann"}'    the object as JSON; a flag of a property overrides it
  --labels env=test           an entry of a map; or the map as JSON
  --name null                 null, where the interface allows it
  --id 9223372036854775807    an integer of 64 bits, exactly
  --photo @cat.png            a file; @- is stdin, @cat;type=image/png;filename=cat.png says what it is
  --data @body.json           the whole body; flags override it
  -o photo.png                where the bytes of a response go; without it to a pipe, never to a terminal

Where several types are allowed, a value is JSON if it fits, else text. The flag of an input
whose name petctl uses itself begins with its location: --query-output, --body-data. --help shows it.`;
