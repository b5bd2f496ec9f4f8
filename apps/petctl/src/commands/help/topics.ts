import { exitCodes } from '../../io/errors.ts';
import { credentialName, type Scheme, schemes } from '../../keys/credentials.ts';
import { settings } from '../../settings/settings.ts';

/** A topic about all commands. */
export interface Topic {
  readonly name: string;
  readonly title: string;
  /** Lines of at most 110 columns. */
  readonly text: string;
}

function environment(): string {
  const rows = [
    ...schemes().map(aboutVariable),
    ...Object.values(settings).map(({ variable, flag }) => [variable, `As --${flag.name}.`]),
    ['NO_COLOR, FORCE_COLOR', 'No colours, or always colours; --color and --no-color override both.'],
    ['XDG_CONFIG_HOME', 'The folder with petctl/config.json and petctl/credentials.json (default: ~/.config).'],
    ['APPDATA', 'The default of XDG_CONFIG_HOME on Windows.'],
    ['http_proxy, https_proxy', 'Proxies; all_proxy sets both, no_proxy lists exceptions.'],
    ['NODE_EXTRA_CA_CERTS', 'A file with more trusted certificates.'],
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length));
  const table = rows.map(([name = '', about]) => `  ${name.padEnd(width)}  ${about}`).join('\n');
  return `Flags override environment variables, variables override the profile, and the profile overrides the\ndefault. A profile that --profile names overrides variables, too, but not those of keys.\n\n${table}`;
}

function aboutVariable(scheme: Scheme): [string, string] {
  const form = scheme.type === 'basic' ? ', as user:password' : '';
  return [scheme.variable, `The ${credentialName(scheme)}${form}. Overrides a stored one. There is no flag for it.`];
}

const formatting = `  -o table   aligned, shortened to the terminal, with a bold header: the default on a terminal
  -o tsv     tab-separated, no header, never shortened: the default in a pipe
  -o json    one JSON document; a list has one element per line
  -o jsonl   one JSON object per line
  -o yaml    YAML 1.2
  -o csv     comma-separated, with a header

  --fields id,name     only these properties, in this order, in every format
  --jq '.[].name'      filter the whole result; text is written without quotes, all else as JSON
  --jq .name -o jsonl  filter each element, as it arrives

Results go to stdout, everything else to stderr. Control characters are escaped, for example as \\u001b, so
names cannot inject escape sequences; JSON and YAML parse to the same text.

With -o json or jsonl, an error is one line of JSON on stderr:
  {"error":{"code":…,"message":…,"status":…,"requestId":…,"exit":…,"hint":…}}
and a notice is {"notice":{"message":…}}. Notices of truncated lists and deprecated operations appear on a
terminal and with -v only; --quiet hides all notices.`;

const inputs = `The names are examples; the help of a command lists its flags.

  --tame, --tame=false        a boolean; --no-tame is --tame=false
  --tags a,b --tags c         a list: commas, repeated flags, or both; '["a,b"]' for a comma in an element
  --visits '{"on":"monday"}'  a list of objects: one per flag, or a JSON array
  --owner.name Ann            a property of an object
  --owner '{"name":"Ann"}'    the object as JSON; a flag of a property overrides it
  --labels env=test           an entry of a map, or the map as JSON
  --name null                 null, if the spec allows it
  --id 9223372036854775807    an exact 64-bit integer
  --photo @cat.png            a file; @- is stdin, @cat;type=image/png;filename=cat.png sets type and name
  --data @body.json           the whole body; flags override it
  -o photo.png                the file for a binary response; required if stdout is a terminal

If several types are allowed, a value is JSON if valid, else text. If petctl has a flag of the same name, the
input's flag begins with where it is sent: --query-output, --body-data. --help shows it.`;

/** The topics of `petctl help`. */
export const topics: readonly Topic[] = [
  {
    name: 'exit-codes',
    title: 'Exit codes',
    text: Object.values(exitCodes)
      .map(({ exit, meaning }) => `  ${String(exit).padStart(3)}  ${meaning}`)
      .join('\n'),
  },
  { name: 'environment', title: 'Environment variables', text: environment() },
  { name: 'formatting', title: 'Formats of results and errors', text: formatting },
  { name: 'inputs', title: 'Input values', text: inputs },
];
