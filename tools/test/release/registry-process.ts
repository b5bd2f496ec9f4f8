// The registry's process. It stores the packages that are released to it, proxies all others to the registry that the
// machine uses, and sends its address to its parent once it listens. It ends with its parent.
import { runServer } from 'verdaccio';

const [storage = '', upstream = ''] = process.argv.slice(2);
const released = { access: '$all', publish: '$authenticated' };

const server = await runServer({
  self_path: storage,
  storage,
  auth: { htpasswd: { file: `${storage}/users` } },
  uplinks: { machine: { url: upstream } },
  packages: { '@petstore/*': released, petctl: released, '**': { access: '$all', proxy: 'machine' } },
  web: { enable: false },
  middlewares: {},
  log: { type: 'stdout', format: 'json', level: 'warn' },
} as never);
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${server.address().port}/`));
process.on('disconnect', () => process.exit());
