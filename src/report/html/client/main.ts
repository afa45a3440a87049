import { drawCurves } from './curves.ts';
import { startDots } from './dots.ts';
import { byId } from './page.ts';
import { drawPrices } from './price-chart.ts';
import { drawSeries } from './series-chart.ts';
import { drawAllocation } from './stack.ts';
import { startTables } from './tables.ts';
import { startTheme } from './theme.ts';
import { startPrint } from './time-chart.ts';

const theme = byId('theme');
if (theme !== undefined) startTheme(theme);
startTables();
drawCurves();
drawAllocation();
drawPrices();
drawSeries();
startDots();
startPrint();
