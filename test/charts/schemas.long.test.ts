// Validates all manifests for each supported Kubernetes version except the newest.

import { kubernetesVersions } from '../support/chart.ts';
import { schemasSuite } from './schemas-suite.ts';

schemasSuite(kubernetesVersions.slice(0, -1));
