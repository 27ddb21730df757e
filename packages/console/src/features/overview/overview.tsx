import { Notice } from '../../design/notice.tsx';

export function Overview() {
  return <Notice title="Overview" />;
}
