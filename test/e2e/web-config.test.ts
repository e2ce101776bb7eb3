// A real Prometheus scrapes over TLS with a client certificate and a password, as documented.

import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { startChild } from '../../src/drills/child.ts';
import { temporaryFolder } from '../support/events.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { hash, serverPair, serveWeb, tlsFile } from '../support/web-config.ts';

const web = `tls_server_config:
  ${serverPair}
  client_ca_file: ${tlsFile('ca.crt')}
  client_auth_type: RequireAndVerifyClientCert
  client_allowed_sans: [client.invalid]
basic_auth_users: { prometheus: "${hash}" }
`;

/** The documented job with this kind of service discovery. */
const documented = async (discovery: string): Promise<string> => {
  const page = await readFile(new URL('../../docs/web-configuration.md', import.meta.url), 'utf8');
  const blocks = page.split('```yaml\n').map((part) => part.split('```')[0] ?? '');
  return blocks.find((block) => block.startsWith('scrape_configs:') && block.includes(discovery)) ?? '';
};

describeWith(['prometheus3'], 'a real Prometheus with a client certificate and a password', (prometheus) => {
  // The second has no scheme in the job: it is in the list.
  test.each(['static_configs', 'http_sd_configs'])('scrapes with the documented %s', async (discovery) => {
    const { url } = await serveWeb(web);
    const folder = await temporaryFolder();
    for (const name of ['ca.crt', 'client.crt', 'client.key']) await copyFile(tlsFile(name), join(folder, name));
    await writeFile(join(folder, 'password'), 's3cret');
    const shown = parse((await documented(discovery)).replace('snowgauge:9652', new URL(url).host));
    await writeFile(
      join(folder, 'prometheus.yml'),
      stringify({ global: { scrape_interval: '5s', scrape_timeout: '5s' }, ...shown }),
    );
    const args = [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`];
    const child = startChild('Prometheus', prometheus, [...args, '--web.listen-address=127.0.0.1:0']);
    onTestFinished(child.stop);
    const base = `http://127.0.0.1:${await child.port}`;
    const found = await until('the target is up', async () => {
      const answer = await (await fetch(`${base}/api/v1/query?query=up==1`)).text();
      return answer.includes('"job":"snowgauge"') && answer;
    });
    expect(found).toContain(new URL(url).host);
  });
});
