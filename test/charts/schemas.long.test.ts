// Everything that the chart and the plain manifests make, against the schemas of each Kubernetes from the oldest on but for the newest.

import { kubernetesVersions } from '../support/chart.ts';
import { schemasSuite } from './schemas-suite.ts';

schemasSuite(kubernetesVersions.slice(0, -1));
